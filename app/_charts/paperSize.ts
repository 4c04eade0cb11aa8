/** Size of a figure for a paper, in units. At the width of a paper column, the figure's labels are 7 pt. */
export const paper = { width: 400, height: 260 } as const;

/** Drawn numbers of a figure as CSV rows; the first row is the header. */
export type CsvRows = readonly (readonly (string | number)[])[];
