/** Dash of a baseline's level: long and plain, unlike any line. */
export const baselineDash = "7 4";

/** Dash patterns of lines that would otherwise look the same. */
export const lineDashes = [undefined, "2 2.5", "9 3 2 3", "1 4", "9 3 2 3 2 3", "4 2 1 2"] as const;
