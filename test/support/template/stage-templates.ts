/** The templates of the deployments, with what the rules found; a process of its own synthesizes each of them once. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFrom } from '../../../lib/stages/stages.ts';
import { deployments, enterpriseDeployments } from './deployments.ts';

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates have no types
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: string | string[];
  readonly UpdatePolicy?: {
    readonly CodeDeployLambdaAliasUpdate?: {
      readonly ApplicationName: unknown;
      readonly DeploymentGroupName: unknown;
    };
  };
}

interface Synthesized {
  readonly file: string;
  readonly resources: Readonly<Record<string, TemplateResource>>;
  readonly outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  /** The findings of the rules that the template does not acknowledge. */
  readonly findings: readonly string[];
}

/** The program that synthesizes. */
export const synthesizer = join(import.meta.dirname, 'synthesize-deployments.ts');

/** Whether start-templates.ts started the synthesizer: without, the folder of a suite stays empty. */
const begunIn = (folder: string): string => join(folder, 'begun');
export const markBegun = (folder: string): void => writeFileSync(begunIn(folder), '');

/** In a run of tests, or after it: where the synthesizer writes. */
const given = process.env.TEMPLATES_FOLDER;
const ofRun = given !== undefined && existsSync(begunIn(given)) ? given : undefined;
let own: string | undefined;
const known = new Map<string, Synthesized>();

export function synthesized(name: string): Synthesized {
  const read = known.get(name) ?? readTemplate(name);
  known.set(name, read);
  return read;
}

type Named = [id: string, resource: TemplateResource];

/** The resources of a type in a deployment, of which it has at least one: what holds for all would hold for none. */
export function resourcesOfType(deployment: string, type: string): [Named, ...Named[]] {
  const found = Object.entries(synthesized(deployment).resources).filter(([, { Type }]) => Type === type);
  const [first, ...others] = found;
  if (first === undefined) throw new Error(`${deployment} has no ${type}`);
  return [first, ...others];
}

/** The types of all resources in a deployment. */
export function typesIn(deployment: string): readonly string[] {
  return Object.values(synthesized(deployment).resources).map(({ Type }) => Type);
}

/** The id of the resource that a value refers to. */
export function refOf(value: unknown): string {
  return (value as { Ref: string }).Ref;
}

/** Removes the templates of this process; those of a run of tests are removed at its end. */
export function forgetTemplates(): void {
  if (own !== undefined) rmSync(own, { recursive: true, force: true });
}

interface Place {
  readonly complete: string;
  readonly unfinished: string;
  /** The file with the reason, if the synthesis failed. */
  readonly fault: string;
}

export function placeOf(folder: string, name: string): Place {
  const complete = join(folder, name.replaceAll(' ', '-'));
  return { complete, unfinished: `${complete}.unfinished`, fault: `${complete}.fault` };
}

function readTemplate(name: string): Synthesized {
  const context = deployments[name] ?? enterpriseDeployments[name];
  if (context === undefined) throw new Error(`no deployment ${name}`);
  const { complete: folder, fault } = placeOf(ofRun ?? synthesizeAlone(name), name);
  if (ofRun !== undefined) awaitOneOf(folder, fault);
  if (existsSync(fault)) throw new Error(`${name} cannot be synthesized: ${readFileSync(fault, 'utf8')}`);
  const file = join(folder, `${stageFrom(context).stackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8'));
  return {
    file,
    resources: template.Resources,
    outputs: template.Outputs,
    findings: findingsIn(folder),
  };
}

/** For a program that needs a template, and for those of enterprises, all at once; returns the folder. */
function synthesizeAlone(name: string): string {
  own ??= mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
  const { complete, fault } = placeOf(own, name);
  const names = name in enterpriseDeployments ? Object.keys(enterpriseDeployments) : [name];
  if (!existsSync(complete) && !existsSync(fault))
    execFileSync(process.execPath, [synthesizer, own, ...names]);
  return own;
}

const waitMs = 100;
/** Far longer than all syntheses on a slow machine. Where their process ended before, its fault is there. */
const waitsMax = 6000;

/** Without a promise, so that tests can be declared from a template. */
function awaitOneOf(...paths: readonly string[]): void {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (let waits = 0; !paths.some((path) => existsSync(path)); waits += 1) {
    if (waits === waitsMax) throw new Error(`neither of ${paths.join(', ')} appeared`);
    Atomics.wait(asleep, 0, 0, waitMs);
  }
}

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

export function findingsIn(folder: string): string[] {
  const report = JSON.parse(readFileSync(join(folder, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports
    .flatMap(({ violations }) => violations)
    .flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
}
