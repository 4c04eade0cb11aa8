/** Maximum number of sweeps about which one page, question or table is asked. */
export const maxSweepsTogether = 20;
