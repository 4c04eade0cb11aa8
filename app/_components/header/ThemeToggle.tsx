"use client";
import { useState } from "react";
import { Button } from "#app/_ui/Button.tsx";
import { Icon, type IconName } from "#app/_ui/Icon.tsx";
import { nextTheme, themeCookie, type Theme } from "./theme.ts";

const looks: Record<Theme, { icon: IconName; title: string }> = {
  auto: { icon: "auto", title: "Theme: as the system" },
  light: { icon: "sun", title: "Theme: light" },
  dark: { icon: "moon", title: "Theme: dark" },
};

/** Auto → light → dark. A cookie, so that the server's first byte already has the right theme. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const change = () => {
    const next = nextTheme(theme);
    setTheme(next);
    document.documentElement.dataset["theme"] = next;
    document.cookie = `${themeCookie}=${next}; path=/; max-age=31536000; samesite=lax`;
  };
  return (
    <Button kind="quiet" className="px-2" onClick={change} title={looks[theme].title} aria-label={looks[theme].title}>
      <Icon name={looks[theme].icon} />
    </Button>
  );
}
