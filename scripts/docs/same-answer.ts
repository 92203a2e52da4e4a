/**
 * The first line of the answer shown that the real one does not have, in its order. SQS hands messages out in
 * any, so the rows of a table may be in another.
 */
export function missingLine(shown: readonly string[], said: string): string | undefined {
  const lines = said.split('\n').map(lasting);
  let rest = lines;
  for (const line of shown.map(lasting)) {
    if (line === '' || (line.startsWith('│') && lines.includes(line))) continue;
    const found = rest.indexOf(line);
    if (found < 0) return line;
    rest = rest.slice(found + 1);
  }
  return undefined;
}

/** What of a line is the same in every run: not ids that SQS made up, moments, nor the width of a table. */
function lasting(line: string): string {
  return line
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '‹id›')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '‹moment›')
    .replaceAll(/\b\d+ seconds?\b/g, '‹seconds›')
    .replaceAll(/\b[0-9a-f]{16}(?= +│ unparseable)/g, '‹hash of an id›')
    .replaceAll(/(?<=park id +│ )[\w-]{32}/g, '‹park id›')
    .replaceAll(/[┌┬┐├┼┤└┴┘─]/g, '')
    .replaceAll(/ *│ */g, '│')
    .trim();
}
