import { useLayoutEffect, useState } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'countersign-console-theme';

/** Light, dark, or the system's choice. The browser remembers it. */
export function useTheme(): [theme: Theme, set: (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => themes.find((one) => one === localStorage.getItem(key)) ?? 'system');
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset['theme'];
    else dataset['theme'] = theme;
    localStorage.setItem(key, theme);
  }, [theme]);
  return [theme, setTheme];
}
