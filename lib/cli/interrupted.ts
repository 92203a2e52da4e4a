/** A signal that Ctrl-C gives: what is under way ends, and what was received is given back. */
export function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
