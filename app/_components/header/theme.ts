export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export const themeCookie = "arlarena_theme";

export function parseTheme(text: string | undefined): Theme {
  return themes.find((theme) => theme === text) ?? "auto";
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
}

const changed = "arlarena-theme";

/** Applies a theme and stores it in a cookie, so that the server renders the next page in this theme. */
export function setTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  document.cookie = `${themeCookie}=${theme}; path=/; max-age=31536000; samesite=lax`;
  window.dispatchEvent(new Event(changed));
}

/** Subscribes a listener to theme changes (for `useSyncExternalStore`). */
export function onThemeChange(listener: () => void): () => void {
  window.addEventListener(changed, listener);
  return () => window.removeEventListener(changed, listener);
}

export function readTheme(): Theme {
  return parseTheme(document.documentElement.dataset["theme"]);
}
