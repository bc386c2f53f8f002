import { Component, type ComponentChildren } from "preact";

interface Props {
    /** When it changes, what failed is tried anew. */
    readonly subject: unknown;
    /** What to show instead. */
    readonly fallback: (again: () => void) => ComponentChildren;
    readonly children: ComponentChildren;
}

interface Failure {
    readonly failed: boolean;
    readonly subject: unknown;
}

/** Keeps an error while drawing inside its own place. It answers nothing and cancels nothing. */
export class Boundary extends Component<Props, Failure> {
    override state: Failure = { failed: false, subject: this.props.subject };

    static override getDerivedStateFromError(): Partial<Failure> {
        return { failed: true };
    }

    static override getDerivedStateFromProps(props: Props, failure: Failure): Partial<Failure> | null {
        return props.subject === failure.subject ? null : { failed: false, subject: props.subject };
    }

    override componentDidCatch(error: unknown): void {
        console.error("A part of the page could not be shown.", error);
    }

    override render() {
        return this.state.failed ? this.props.fallback(() => this.setState({ failed: false })) : this.props.children;
    }
}
