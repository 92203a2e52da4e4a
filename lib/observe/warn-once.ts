const warned = new Set<string>();

/** Says a thing once per process: what it concerns is the deployment, not one message. */
export function warnOnce(topic: string, text: string): void {
  if (warned.has(topic)) return;
  warned.add(topic);
  console.warn(`sqs-once: ${text}`);
}
