/** The dash of a baseline's level: long and plain, as no line has it. */
export const baselineDash = "7 4";

/** The dashes of lines that would look the same otherwise: dots, and dashes with dots between them. */
export const lineDashes = [undefined, "2 2.5", "9 3 2 3", "1 4", "9 3 2 3 2 3", "4 2 1 2"] as const;
