/** A setting the deployment makes: the name of a table, the URL of a queue. Missing, the function does not start. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set`);
  return value;
}
