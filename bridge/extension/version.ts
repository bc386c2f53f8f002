/** Of mirrord as a whole: a test compares it with the Python package. */
export const VERSION = "0.1.0";
