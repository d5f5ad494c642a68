/** The stages as they would be deployed, each synthesized with the rules on, once for a test file. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { applyTemplateRules } from '../../../lib/constructs/template-rules.ts';
import { GatewayStack } from '../../../lib/gateway-stack.ts';
import { stackNameMaximum } from '../../../lib/stages/stage-settings.ts';
import { stageFrom } from '../../../lib/stages/stages.ts';

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is whatever CloudFormation takes
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
  /** What the rules found and nobody acknowledged. */
  readonly findings: readonly string[];
}

const production = {
  stage: 'production',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef0123456789abcdef',
};

/** Prices of so many countries, each with as many digits as a price has. */
function pricesOf(countries: number): Record<string, number> {
  const letter = (index: number): string => String.fromCharCode(65 + (index % 26));
  return Object.fromEntries(
    Array.from({ length: countries }, (_, i) => [
      `${letter(Math.floor(i / 26))}${letter(i)}`,
      0.01234 + i / 1e5,
    ]),
  );
}

/** Settings as a command line gives them: every stage there is, and production with all that is optional. */
export const deployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no settings': {},
  local: { stage: 'local' },
  production,
  'production with all there is': {
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

const outdir = mkdtempSync(join(tmpdir(), 'messaging-gateway-templates-'));
const known = new Map<string, Synthesized>();

export function synthesized(name: string): Synthesized {
  const made = known.get(name) ?? synthesize(name);
  known.set(name, made);
  return made;
}

/** Jest hides the end of its process from what it runs. */
export function forgetTemplates(): void {
  rmSync(outdir, { recursive: true, force: true });
}

function synthesize(name: string): Synthesized {
  const context = deployments[name];
  if (context === undefined) throw new Error(`no deployment ${name}`);
  const folder = join(outdir, name.replaceAll(' ', '-'));
  const app = new App({ outdir: folder });
  const stack = new GatewayStack(app, stageFrom(context));
  applyTemplateRules(app);
  let fault: unknown;
  try {
    app.synth();
  } catch (error) {
    fault = error;
  }
  const findings = findingsIn(folder);
  if (fault !== undefined && findings.length === 0) throw fault;
  const file = join(folder, `${stack.stackName}.template.json`);
  const template = JSON.parse(readFileSync(file, 'utf8'));
  return { file, resources: template.Resources, outputs: template.Outputs, findings };
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
