export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const themeCookie = "arlarena_theme";

export function parseTheme(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? "auto";
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
}
