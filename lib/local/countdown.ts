/** A timeout that can be held, for a process that is stopped does not use its time up. */
export interface Countdown {
  hold(): void;
  goOn(): void;
  cancel(): void;
}

export function startCountdown(millis: number, onEnd: () => void): Countdown {
  let leftMillis = millis;
  let startedAt = performance.now();
  let timer = setTimeout(onEnd, leftMillis);
  let phase: 'running' | 'held' | 'over' = 'running';
  return {
    hold() {
      if (phase !== 'running') return;
      phase = 'held';
      clearTimeout(timer);
      leftMillis -= performance.now() - startedAt;
    },
    goOn() {
      if (phase !== 'held') return;
      phase = 'running';
      startedAt = performance.now();
      timer = setTimeout(onEnd, leftMillis);
    },
    cancel() {
      phase = 'over';
      clearTimeout(timer);
    },
  };
}
