import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Properties = Readonly<Record<string, unknown>>;

/** A resource of a synthesized template, as far as it is read here. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Properties;
}

/** A synthesized CloudFormation template, such as `cdk.out/Shop.template.json`. */
export interface Template {
  readonly folder: string;
  readonly resources: ReadonlyMap<string, Resource>;
}

/** A consumer of a template: the mapping and what it joins. */
export interface StackConsumer {
  readonly mapping: Resource;
  readonly queue: Resource;
  readonly fn: Resource;
}

/** @throws Error when the file is no template in JSON */
export function readTemplate(file: string, text = readFileSync(file, 'utf8')): Template {
  const Resources = resourcesIn(text);
  if (Resources === undefined) {
    throw new Error(
      `${file} is no CloudFormation template in JSON with Resources; give one that cdk synth wrote, such as cdk.out/Shop.template.json`,
    );
  }
  const resources = Object.entries(Resources).map(
    ([id, { Type: type, Properties: properties = {} }]) => [id, { id, type, properties }] as const,
  );
  return { folder: dirname(file), resources: new Map(resources) };
}

function resourcesIn(
  text: string,
): Readonly<Record<string, { Type: string; Properties?: Properties }>> | undefined {
  try {
    return JSON.parse(text)?.Resources;
  } catch {
    return undefined;
  }
}

export function resourcesOf({ resources }: Template, ...types: readonly string[]): readonly Resource[] {
  return [...resources.values()].filter(({ type }) => types.includes(type));
}

/**
 * The consumer to run: the only one, or the one whose function's or queue's logical id begins so.
 *
 * @throws Error that lists what there is, when none fits or several do
 */
export function consumerOf(template: Template, wanted: string | undefined): StackConsumer {
  const all = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').flatMap((mapping) => {
    const queue = referred(template, mapping.properties.EventSourceArn, 'AWS::SQS::Queue');
    const fn = referred(template, mapping.properties.FunctionName, 'AWS::Lambda::Function');
    return queue === undefined || fn === undefined ? [] : [{ mapping, queue, fn }];
  });
  const fitting = all.filter(
    ({ queue, fn }) => wanted === undefined || fn.id.startsWith(wanted) || queue.id.startsWith(wanted),
  );
  const [found] = fitting;
  if (found === undefined || fitting.length > 1) {
    const names = all.map(({ fn }) => fn.id).join(', ');
    throw new Error(
      all.length === 0
        ? 'the template joins no queue of its own with a function of its own'
        : `the template has the consumers ${names}; name one with --consumer`,
    );
  }
  return found;
}

/** The resource a `Ref` or `Fn::GetAtt` names, where it is of that type and in this template. */
export function referred(
  template: Template,
  value: unknown,
  ...types: readonly string[]
): Resource | undefined {
  const { Ref, 'Fn::GetAtt': attribute } = (value ?? {}) as {
    Ref?: string;
    'Fn::GetAtt'?: readonly string[];
  };
  const resource = template.resources.get(Ref ?? attribute?.[0] ?? '');
  return resource !== undefined && types.includes(resource.type) ? resource : undefined;
}

/**
 * The bundled handler of a function, as `path.export`.
 *
 * @throws Error when its code is not in the folder of the template, so that `--handler` has to name it
 */
export function handlerOf({ folder }: Template, { id, properties }: Resource): string {
  const { S3Key } = (properties.Code ?? {}) as { S3Key?: unknown };
  const path = typeof S3Key === 'string' ? join(folder, `asset.${S3Key.replace(/\.zip$/, '')}`) : undefined;
  if (path === undefined || !existsSync(path)) {
    throw new Error(`the code of ${id} is not beside the template; name its source with --handler`);
  }
  return join(path, String(properties.Handler));
}
