/** Size of a figure for a paper, in units: at the width of a paper column, its labels are 7 pt. */
export const paper = { width: 400, height: 260 } as const;

/** Drawn numbers of a figure; the first row is the header. */
export type CsvRows = readonly (readonly (string | number)[])[];
