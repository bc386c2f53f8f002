import { AArrowDown, AArrowUp, Contrast, Monitor, Moon, Sun } from "lucide";
import { useId } from "preact/hooks";

import { Icon } from "../../design/Icon.tsx";
import { TEXT_SIZES, textSize, theme, type Theme } from "../../edge/preferences.ts";
import { Choice, Section, type Option } from "./parts.tsx";

const THEME_OPTIONS: readonly Option<Theme>[] = [
    { value: "system", label: "System", icon: Monitor },
    { value: "light", label: "Light", icon: Sun },
    { value: "dark", label: "Dark", icon: Moon },
    { value: "contrast", label: "High contrast", icon: Contrast },
];

export function Appearance() {
    return (
        <Section title="Appearance">
            <div class="rows">
                <Choice legend="Theme" options={THEME_OPTIONS} value={theme} />
                <TextSize />
            </div>
        </Section>
    );
}

/** In steps: under a finger that drags, the text would move away. */
function TextSize() {
    const name = useId();
    const at = TEXT_SIZES.indexOf(textSize.value);
    const step = (by: number) => {
        const next = TEXT_SIZES[at + by];
        if (next !== undefined) textSize.value = next;
    };
    return (
        <div class="row setting" role="group" aria-labelledby={name}>
            <span class="row-main">
                <span id={name} class="row-title">
                    Text size
                </span>
                <span class="secondary">On top of what the browser is set to.</span>
            </span>
            <span class="stepper">
                <button
                    type="button"
                    class="button button-icon button-outline"
                    aria-label="Smaller"
                    aria-disabled={at <= 0}
                    onClick={() => step(-1)}
                >
                    <Icon node={AArrowDown} />
                </button>
                <output class="stepper-value">{textSize.value} %</output>
                <button
                    type="button"
                    class="button button-icon button-outline"
                    aria-label="Larger"
                    aria-disabled={at >= TEXT_SIZES.length - 1}
                    onClick={() => step(1)}
                >
                    <Icon node={AArrowUp} />
                </button>
            </span>
        </div>
    );
}
