/** The colours of the style sheet, which change with the mode. */
export function colour(
  name: 'text' | 'quiet' | 'line' | 'work' | 'bad' | 'sleep' | 'fault' | 'surface',
): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const font = 'system-ui, sans-serif';
