/** What stands between backticks in a sentence, as a terminal would have it. */
export function withCode(sentence: string) {
    return sentence.split("`").map((part, place) => (place % 2 === 0 ? part : <code class="mono">{part}</code>));
}
