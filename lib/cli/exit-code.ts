/** What the commands for people and scripts on call end with. */
export const exitCode = {
  /** Done, or there was nothing to do. */
  done: 0,
  /** Wrong use, or AWS said no. */
  failed: 1,
  /** Done in part: some messages failed, or the queue may hold more than could be seen. */
  partly: 2,
  /** What was asked for by name is not there. */
  notFound: 3,
} as const;

export const exitCodeHelp = `
Exit codes:
  0  done, or there was nothing to do
  1  wrong use, or AWS refused; nothing more was tried
  2  done in part: some messages failed, or the queue may hold more than could be seen
  3  what was asked for by name is not there`;

export const environmentHelp = `
Endpoint, region and credentials come from the environment, as with any AWS tool.`;
