/** What is away at the moment. */
export interface Away {
  table: boolean;
  queue: boolean;
}

/** A client that finds nobody there when asked not to. */
export function awayWhenAsked<Client extends { send(...asked: never[]): unknown }>(
  client: Client,
  isAway: () => boolean,
): Client {
  return new Proxy(client, {
    get(target, property, receiver) {
      if (property !== 'send' || !isAway()) return Reflect.get(target, property, receiver);
      return () => Promise.reject(Object.assign(new Error('nobody answers'), { name: 'TimeoutError' }));
    },
  });
}
