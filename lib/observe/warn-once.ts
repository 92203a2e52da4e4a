const warned = new Set<string>();
const warnedAbout = new WeakSet<object>();

/**
 * Says a thing once per process, or once per object where the topic is one: what it concerns is the deployment,
 * not one message.
 */
export function warnOnce(topic: string | object, text: string): void {
  if (typeof topic === 'string' ? warned.has(topic) : warnedAbout.has(topic)) return;
  if (typeof topic === 'string') warned.add(topic);
  else warnedAbout.add(topic);
  console.warn(`sqs-once: ${text}`);
}
