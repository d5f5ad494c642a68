/** Clients that generators make of the API document: each compiles, and a program of `programs` uses it. */
import { cp, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Credentials } from './document-tools.ts';
import type { Steps } from './steps.ts';
import { at, compiles, document, made, npmFolder, npmTool, programs, pythonWith, run } from './tools.ts';

const generatorVersion = '7.24.0';
const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const jar = join(
  homedir(),
  `.m2/repository/org/openapitools/openapi-generator-cli/${generatorVersion}/openapi-generator-cli-${generatorVersion}.jar`,
);

/** @param newCredentials - of a new client: a one-time password's attempts are few */
export async function generatedClientSteps(
  steps: Steps,
  newCredentials: () => Promise<Credentials>,
): Promise<void> {
  const environment: Environment = async () => ({ ...process.env, ...(await newCredentials()) });
  await typescriptSteps(steps, environment);
  await pythonSteps(steps, environment);
  await steps.stepWith(['go'], 'oapi-codegen calls every operation', async () => {
    const module = join(made, 'oapi-codegen');
    await cp(join(programs, 'oapi-codegen'), module, { recursive: true });
    await mkdir(join(module, 'gateway'));
    await run('go', ['run', codegen, '-config', 'oapi-codegen.yaml', document], at(module));
    await run('go', ['run', '.'], { ...at(module), env: await environment() });
  });
  await openApiGeneratorSteps(steps, environment);
}

type Environment = () => Promise<Readonly<Record<string, string | undefined>>>;

/** Compiles the program, bundles it, because generators leave out the endings that Node wants, and runs it. */
async function runTypescript(program: string, environment: Environment): Promise<void> {
  const file = join(npmFolder, `${program}.mts`);
  await cp(join(programs, `${program}.mts`), file);
  await compiles(file);
  const outfile = join(npmFolder, `${program}.mjs`);
  buildSync({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  await run('node', [outfile], { ...at(npmFolder), env: await environment() });
}

async function typescriptSteps({ step }: Steps, environment: Environment): Promise<void> {
  await step('openapi-typescript and openapi-fetch call every operation', async () => {
    await npmTool('openapi-typescript', document, '-o', join(npmFolder, 'schema.d.ts'));
    await runTypescript('openapi-fetch', environment);
  });
  await step('hey-api calls every operation', async () => {
    await npmTool('openapi-ts', '-i', document, '-o', join(npmFolder, 'hey-api'));
    await runTypescript('hey-api', environment);
  });
  await step('orval calls every operation', async () => {
    await npmTool('orval', '--input', document, '--output', join(npmFolder, 'orval/client.ts'));
    await runTypescript('orval', environment);
  });
}

const pythonTools = () => pythonWith(join(import.meta.dirname, 'requirements.txt'));

async function runPython(python: string, program: string, client: string, environment: Environment) {
  const env = { ...(await environment()), PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' };
  return await run(python, [join(programs, program)], { ...at(made), env });
}

async function pythonSteps({ step }: Steps, environment: Environment): Promise<void> {
  await step('openapi-python-client calls every operation', async () => {
    const python = await pythonTools();
    const output = join(made, 'python-client');
    const options = ['generate', '--fail-on-warning', '--path', document, '--output-path', output];
    await run(python, ['-m', 'openapi_python_client', ...options], {
      ...at(made),
      env: { ...process.env, PATH: `${join(python, '..')}:${process.env.PATH}` },
    });
    await runPython(python, 'openapi_python_client.py', output, environment);
  });
}

interface OpenApiGenerator {
  readonly commands: readonly string[];
  readonly options: readonly string[];
  readonly use: (output: string, environment: Environment) => Promise<unknown>;
}

const openApiGenerators: Readonly<Record<string, OpenApiGenerator>> = {
  go: {
    commands: ['java', 'go'],
    options: ['--git-user-id', 'example', '--git-repo-id', 'client'],
    use: async (output, environment) => {
      await cp(join(programs, 'openapi-generator-go'), join(output, 'use'), { recursive: true });
      await run('go', ['mod', 'tidy'], at(output));
      return await run('go', ['run', './use'], { ...at(output), env: await environment() });
    },
  },
  java: {
    commands: ['java', 'mvn'],
    options: ['--library', 'native'],
    use: async (output, environment) => {
      await cp(join(programs, 'java'), join(output, 'src/main/java'), { recursive: true });
      const goals = ['compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/libraries'];
      await run('mvn', ['-q', ...goals], at(output));
      const classes = ['-cp', 'target/classes:target/libraries/*'];
      return await run('java', [...classes, 'UseClient'], { ...at(output), env: await environment() });
    },
  },
  python: {
    commands: ['java'],
    options: [],
    use: async (output, environment) =>
      await runPython(await pythonTools(), 'openapi_generator.py', output, environment),
  },
  'typescript-fetch': {
    commands: ['java'],
    options: [],
    use: async (output, environment) => {
      await cp(output, join(npmFolder, 'typescript-fetch'), { recursive: true });
      return await runTypescript('typescript-fetch', environment);
    },
  },
};

async function openApiGeneratorSteps({ stepWith }: Steps, environment: Environment): Promise<void> {
  await stepWith(['java', 'mvn'], 'openapi-generator takes the document', async () => {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`;
    await run('mvn', ['-q', 'dependency:get', artifact], at(made));
    await run('java', ['-jar', jar, 'validate', '-i', document], at(made));
  });
  for (const [name, { commands, options, use }] of Object.entries(openApiGenerators)) {
    await stepWith(commands, `openapi-generator for ${name}: the client calls every operation`, async () => {
      const output = join(made, `openapi-generator-${name}`);
      const generate = ['generate', '-i', document, '-g', name, '-o', output];
      await run('java', ['-jar', jar, ...generate, ...options], at(made));
      await use(output, environment);
    });
  }
}
