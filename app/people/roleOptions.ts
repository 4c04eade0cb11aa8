/** Roles as options of menus. */
export const roleOptions = [
  { value: "viewer", label: "viewer" },
  { value: "editor", label: "editor" },
  { value: "administrator", label: "administrator" },
] as const;
