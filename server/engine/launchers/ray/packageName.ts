/** Prefix of our packages, which distinguishes them from the user's. */
export const packagePrefix = "_ray_pkg_arlarena_";
