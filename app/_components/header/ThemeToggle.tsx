"use client";
import { useSyncExternalStore } from "react";
import { Button } from "#app/_ui/Button.tsx";
import { Icon, type IconName } from "#app/_ui/Icon.tsx";
import { nextTheme, onThemeChange, readTheme, setTheme, type Theme } from "./theme.ts";

const looks: Record<Theme, { icon: IconName; title: string }> = {
  auto: { icon: "auto", title: "Theme: system" },
  light: { icon: "sun", title: "Theme: light" },
  dark: { icon: "moon", title: "Theme: dark" },
};

/** Auto → light → dark. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const theme = useSyncExternalStore(onThemeChange, readTheme, () => initial);
  const change = () => setTheme(nextTheme(theme));
  return (
    <Button kind="quiet" className="px-2" onClick={change} title={looks[theme].title} aria-label={looks[theme].title}>
      <Icon name={looks[theme].icon} />
    </Button>
  );
}
