import { createInterface } from 'node:readline';
import { killGroup } from './kill-group.ts';

// The child's side of guardian.ts. Each line is a process group to watch (`+123`) or to forget (`-123`).
// The input ends when the parent ends, however it ended: the kernel closes the pipe even after SIGKILL.
const watched = new Set<number>();

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) watched.add(pid);
  else watched.delete(pid);
}

for (const pid of watched) killGroup(pid, 'SIGKILL');
