/** Size of a figure for a paper, in units such that the figure's labels are 7 pt at the width of a paper column. */
export const paper = { width: 400, height: 260 } as const;

/** CSS class of every SVG drawing that a file export takes from a figure; recharts gives it to its own surfaces. */
export const drawingClass = "recharts-surface";

/** Plotted values of a figure as CSV rows; the first row is the header. */
export type CsvRows = readonly (readonly (string | number)[])[];
