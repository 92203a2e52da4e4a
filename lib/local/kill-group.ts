/** Signals a process and everything it started. Answers whether there was still something to signal. */
export function killGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    // A negative id names the group. Windows has no groups.
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
