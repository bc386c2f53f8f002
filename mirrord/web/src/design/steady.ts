import { Component, h, type ComponentType, type FunctionComponent } from "preact";

/**
 * The component, drawn anew only with other props. An element that `useMemo` keeps would do it too, and hold all that stood around it when
 * it was drawn first: rows that are long gone, for as long as one that came beside them stays.
 */
export function steady<P extends object>(Drawn: FunctionComponent<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys(next) as (keyof P)[];
      return names.length !== Object.keys(this.props).length || names.some((name) => next[name] !== (this.props as P)[name]);
    }

    override render() {
      return h(Drawn, this.props as P);
    }
  };
}
