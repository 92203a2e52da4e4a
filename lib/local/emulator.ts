/** A running stand-in for an AWS service. */
export interface Emulator {
  /** Base URL, on loopback. */
  readonly endpoint: string;
  /** Ends it; resolves when its process is gone. */
  stop(): Promise<void>;
}

/** Resolves when the emulator answers; one that has said it listens does so at once. */
export async function answers(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}; expected 200`);
}
