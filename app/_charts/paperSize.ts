/** The size of a figure for a paper: so many units across a column that labels are 7 pt there. */
export const paper = { width: 400, height: 260 } as const;

/** The numbers that a figure draws, first row the header. */
export type CsvRows = readonly (readonly (string | number)[])[];
