/** What packages of ours are called, so that a job can tell them from those of its user. */
export const packagePrefix = "_ray_pkg_arlarena_";
