import { Construct } from 'constructs';
import { shown } from '../../lib/option-checks.ts';

/**
 * Why these are no props at all. A program without types hands in whatever it likes, and each of these would end in
 * a TypeError from somewhere inside, which names neither the prop nor what would do.
 */
export function refuseShapes<Props extends { readonly claimTable?: unknown }>(
  props: Props,
  durations: readonly (keyof Props & string)[],
): string[] {
  if (typeof props !== 'object' || props === null) {
    return [
      `the props are ${shown(props)}; give an object with entry, the file with the handler, or function`,
    ];
  }
  return [
    ...durations
      .filter((name) => props[name] !== undefined && !has(props[name], 'toSeconds'))
      .map(
        (name) =>
          `${name} is ${shown(props[name])}; give a Duration, such as Duration.seconds(180), imported from aws-cdk-lib`,
      ),
    ...refuseBareTable(props.claimTable),
  ];
}

function refuseBareTable(claimTable: unknown): string[] {
  if (claimTable === undefined || has(claimTable, 'grantClaims')) return [];
  const got = claimTable instanceof Construct ? claimTable.node.path : shown(claimTable);
  return [
    `claimTable is ${got}, which is no claim table; give a ClaimTable, or ClaimTable.fromTable(this, 'Claims', table) for a table of your own`,
  ];
}

/** Asked by name and not by class: of a class there may be two copies in one app. */
function has(value: unknown, method: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
