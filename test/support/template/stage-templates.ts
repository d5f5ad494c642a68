/** The templates of the stages, with the rules on: each is synthesized once in a run, and shared by its test files. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { applyTemplateRules } from '../../../lib/constructs/template-rules.ts';
import { GatewayStack } from '../../../lib/gateway-stack.ts';
import { type StageSettings, stackNameMaximum } from '../../../lib/stages/stage-settings.ts';
import { stageFrom } from '../../../lib/stages/stages.ts';

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
  /** What the rules found and the template does not acknowledge. */
  readonly findings: readonly string[];
}

const production = {
  stage: 'production',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef0123456789abcdef',
};

/** Prices of this many countries, with realistic numbers of digits. */
function pricesOf(countries: number): Record<string, number> {
  const letter = (index: number): string => String.fromCharCode(65 + (index % 26));
  return Object.fromEntries(
    Array.from({ length: countries }, (_, i) => [
      `${letter(Math.floor(i / 26))}${letter(i)}`,
      0.01234 + i / 1e5,
    ]),
  );
}

/** Settings as on a command line: every stage, and production with all optional parts. */
export const deployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no settings': {},
  local: { stage: 'local' },
  production,
  'production with everything': {
    ...production,
    region: 'eu-west-1',
    alarmEmail: 'on-call@example.com',
    customDomain: {
      name: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:000000000000:certificate/0123',
      hostedZone: { id: 'Z0123', name: 'example.com' },
    },
    provisionedCapacity: { min: 100, max: 4000 },
    reservedConcurrency: { 'send-sms': 200 },
    tokenKeyGenerations: [1, 2],
    prices: { currency: 'USD', sms: pricesOf(240), whatsapp: pricesOf(240) },
  },
  'production under the longest name': {
    ...production,
    stackName: 'g'.repeat(stackNameMaximum),
    ignoreAlarmConfiguration: true,
  },
};

const shared = process.env.TEMPLATES_FOLDER;
const outdir = shared ?? mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
const known = new Map<string, Synthesized>();

export function synthesized(name: string): Synthesized {
  const read = known.get(name) ?? readTemplate(name);
  known.set(name, read);
  return read;
}

/** The resources of a type in a deployment, by their ids. */
export function resourcesOfType(deployment: string, type: string): [string, TemplateResource][] {
  return Object.entries(synthesized(deployment).resources).filter(([, { Type }]) => Type === type);
}

/** The id of the resource that a value refers to. */
export function refOf(value: unknown): string {
  return (value as { Ref: string }).Ref;
}

/** Removes the templates of this process; a shared folder is removed at the end of the run. */
export function forgetTemplates(): void {
  if (shared === undefined) rmSync(outdir, { recursive: true, force: true });
}

function readTemplate(name: string): Synthesized {
  const context = deployments[name];
  if (context === undefined) throw new Error(`no deployment ${name}`);
  const stage = stageFrom(context);
  const folder = join(outdir, name.replaceAll(' ', '-'));
  synthesizeOnce(stage, folder);
  const file = join(folder, `${stage.stackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8'));
  return {
    file,
    resources: template.Resources,
    outputs: template.Outputs,
    findings: findingsIn(folder),
  };
}

const waitMs = 100;
/** Far longer than a synthesis on a slow machine: by then the process that began it has died. */
const waitsMax = 2400;

/** One process of the run synthesizes, which takes seconds; the others wait for it. */
function synthesizeOnce(stage: StageSettings, folder: string): void {
  for (let waits = 0; !existsSync(folder); waits += 1) {
    if (waits < waitsMax && !begins(folder)) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
      continue;
    }
    try {
      synthesize(stage, folder);
    } finally {
      rmSync(`${folder}.begun`, { recursive: true, force: true });
    }
  }
}

/** Whether this process is the first to synthesize it. */
function begins(folder: string): boolean {
  try {
    mkdirSync(`${folder}.begun`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function synthesize(stage: StageSettings, folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  const app = new App({ outdir: unfinished });
  new GatewayStack(app, stage);
  applyTemplateRules(app);
  let fault: unknown;
  try {
    app.synth();
  } catch (error) {
    fault = error;
  }
  if (fault !== undefined && findingsIn(unfinished).length === 0) throw fault;
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // The other worker of the run was faster.
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true });
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

function findingsIn(folder: string): string[] {
  const report = JSON.parse(readFileSync(join(folder, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports
    .flatMap(({ violations }) => violations)
    .flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
}
