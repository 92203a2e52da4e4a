/** The oldest major version of Node.js the package runs on, as package.json's `engines` says. */
const leastMajor = 22;

/** Why the command does not start on this Node.js; undefined where it does. */
export function refusedNode(version: string): string | undefined {
  return Number.parseInt(version, 10) >= leastMajor
    ? undefined
    : `Node.js ${version}; sqs-once needs ${leastMajor} or newer`;
}
