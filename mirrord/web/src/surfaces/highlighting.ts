/**
 * What is longer is not taken apart. Some grammars take a time that grows with the square of the text: 10,000 words in a row are ten
 * seconds in C at five times this, and a third of one here. UTF-16 units.
 */
export const HIGHLIGHTED_UNITS = 10_000;
