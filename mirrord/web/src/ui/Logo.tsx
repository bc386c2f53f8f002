/** A prompt and its mirror image. The same picture as public/icon.svg. */
export function Logo() {
    return (
        <svg class="logo" viewBox="0 0 64 64" aria-hidden="true">
            <rect class="logo-ground" width="64" height="64" rx="16" />
            <g class="logo-lines">
                <path d="M15 23l9 9-9 9" />
                <path d="M32 18v28" stroke-dasharray="1 7" />
                <path class="logo-mirrored" d="M49 23l-9 9 9 9" />
            </g>
        </svg>
    );
}
