/** Clients that generators make of the API document: each compiles, and a program of `programs` uses it. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { OpenApiDocument } from '../../lib/build/openapi/document.ts';
import type { Credentials } from './document-tools.ts';
import type { Call } from './every-operation/calls.ts';
import { type Caller, callEveryOperation, type RunCalls } from './every-operation/compare.ts';
import { oapiCodegen, openApiGeneratorGo } from './every-operation/go.ts';
import { openApiGeneratorJava } from './every-operation/java.ts';
import { callsForPython } from './every-operation/python.ts';
import { heyApi, openApiFetch, orval, typescriptFetch } from './every-operation/typescript.ts';
import { namesAreWritten } from './names.ts';
import type { Steps } from './steps.ts';
import { at, compiles, document, made, npmFolder, npmTool, programs, pythonWith, run } from './tools.ts';

const generatorVersion = '7.24.0';
const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const jar = join(
  homedir(),
  `.m2/repository/org/openapitools/openapi-generator-cli/${generatorVersion}/openapi-generator-cli-${generatorVersion}.jar`,
);

interface Gateway {
  readonly document: OpenApiDocument;
  /** Creates a client and returns its credentials: a one-time password's attempts are few. */
  readonly newCredentials: () => Promise<Credentials>;
  readonly newCaller: () => Promise<Caller>;
}

export async function generatedClientSteps(
  steps: Steps,
  { document: parsedDocument, newCredentials, newCaller }: Gateway,
): Promise<void> {
  const use: Use = {
    environment: async () => ({ ...process.env, ...(await newCredentials()) }),
    everyOperation: async (runCalls) => callEveryOperation(parsedDocument, await newCaller(), runCalls),
  };
  await typescriptSteps(steps, use);
  await pythonSteps(steps, use);
  await steps.stepWith(['go'], 'oapi-codegen calls every operation', async () => {
    const module = join(made, 'oapi-codegen');
    await cp(join(programs, 'oapi-codegen'), module, { recursive: true });
    await mkdir(join(module, 'gateway'));
    await run('go', ['run', codegen, '-config', 'oapi-codegen.yaml', document], at(module));
    namesAreWritten(join(module, 'gateway'));
    await use.everyOperation((calls, env) => runGo(join(module, 'every'), oapiCodegen(calls), env));
    await run('go', ['run', '.'], { ...at(module), env: await use.environment() });
  });
  await openApiGeneratorSteps(steps, use);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** How a program uses a client. */
interface Use {
  readonly environment: () => Promise<Environment>;
  readonly everyOperation: (runCalls: RunCalls) => Promise<void>;
}

/** The program of `programs`, and one that calls every operation. */
async function useTypescript(
  program: string,
  everyOperation: (calls: readonly Call[]) => string,
  use: Use,
): Promise<void> {
  await use.everyOperation((calls, environment) =>
    runTypescript(`every-operation-${program}`, everyOperation(calls), environment),
  );
  const source = await readFile(join(programs, `${program}.mts`), 'utf8');
  await runTypescript(program, source, await use.environment());
}

/** Compiles the program, bundles it, because generators leave out the endings that Node wants, and runs it. */
async function runTypescript(program: string, source: string, environment: Environment) {
  const file = join(npmFolder, `${program}.mts`);
  await writeFile(file, source);
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
  return await run('node', [outfile], { ...at(npmFolder), env: environment });
}

async function runGo(folder: string, source: string, environment: Environment) {
  await mkdir(folder);
  await writeFile(join(folder, 'main.go'), source);
  return await run('go', ['run', '.'], { ...at(folder), env: environment });
}

async function typescriptSteps({ step }: Steps, use: Use): Promise<void> {
  await step('openapi-typescript and openapi-fetch call every operation', async () => {
    await npmTool('openapi-typescript', document, '-o', join(npmFolder, 'schema.d.ts'));
    await useTypescript('openapi-fetch', openApiFetch, use);
  });
  await step('hey-api calls every operation', async () => {
    await npmTool('openapi-ts', '-i', document, '-o', join(npmFolder, 'hey-api'));
    namesAreWritten(join(npmFolder, 'hey-api'));
    await useTypescript('hey-api', heyApi, use);
  });
  await step('orval calls every operation', async () => {
    await npmTool('orval', '--input', document, '--output', join(npmFolder, 'orval/client.ts'));
    // It makes a type of each field that may be null.
    namesAreWritten(join(npmFolder, 'orval'), ['WhatsappMessageMessage']);
    await useTypescript('orval', orval, use);
  });
}

const pythonTools = () => pythonWith(join(import.meta.dirname, 'requirements.txt'));

/** @param client - the folder of the client */
async function usePython(name: string, client: string, use: Use): Promise<void> {
  const python = await pythonTools();
  const runProgram = (program: string, environment: Environment, ...args: string[]) =>
    run(python, [join(programs, program), ...args], {
      ...at(made),
      env: { ...environment, PYTHONPATH: client, PYTHONDONTWRITEBYTECODE: '1' },
    });
  await use.everyOperation(async (calls, environment) => {
    const file = join(made, `${name}-calls.json`);
    await writeFile(file, callsForPython(calls));
    return await runProgram(`every_operation_${name}.py`, environment, file);
  });
  await runProgram(`${name}.py`, await use.environment());
}

async function pythonSteps({ step }: Steps, use: Use): Promise<void> {
  await step('openapi-python-client calls every operation', async () => {
    const python = await pythonTools();
    const output = join(made, 'python-client');
    const options = ['generate', '--fail-on-warning', '--path', document, '--output-path', output];
    await run(python, ['-m', 'openapi_python_client', ...options], {
      ...at(made),
      env: { ...process.env, PATH: `${join(python, '..')}:${process.env.PATH}` },
    });
    namesAreWritten(output);
    await usePython('openapi_python_client', output, use);
  });
}

interface OpenApiGenerator {
  /** Maven fetches the generator. */
  readonly commands: readonly string[];
  readonly options: readonly string[];
  readonly useClient: (output: string, use: Use) => Promise<void>;
}

const openApiGenerators: Readonly<Record<string, OpenApiGenerator>> = {
  go: {
    commands: ['java', 'mvn', 'go'],
    options: ['--git-user-id', 'example', '--git-repo-id', 'client'],
    useClient: async (output, use) => {
      await cp(join(programs, 'openapi-generator-go'), join(output, 'use'), { recursive: true });
      await run('go', ['mod', 'tidy'], at(output));
      await use.everyOperation((calls, env) => runGo(join(output, 'every'), openApiGeneratorGo(calls), env));
      await run('go', ['run', './use'], { ...at(output), env: await use.environment() });
    },
  },
  java: {
    commands: ['java', 'mvn'],
    // Else a list that a response leaves out is an empty one.
    options: ['--library', 'native', '--additional-properties=containerDefaultToNull=true'],
    useClient: async (output, use) => {
      const sources = join(output, 'src/main/java');
      await cp(join(programs, 'java'), sources, { recursive: true });
      const classes = ['-cp', 'target/classes:target/libraries/*'];
      const runClass = (name: string, env: Environment) =>
        run('java', [...classes, name], { ...at(output), env });
      await use.everyOperation(async (calls, environment) => {
        await writeFile(join(sources, 'EveryOperation.java'), openApiGeneratorJava(calls));
        const goals = ['compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/libraries'];
        await run('mvn', ['-q', ...goals], at(output));
        return await runClass('EveryOperation', environment);
      });
      await runClass('UseClient', await use.environment());
    },
  },
  python: {
    commands: ['java', 'mvn'],
    options: [],
    useClient: (output, use) => usePython('openapi_generator', output, use),
  },
  'typescript-fetch': {
    commands: ['java', 'mvn'],
    options: [],
    useClient: async (output, use) => {
      await cp(output, join(npmFolder, 'typescript-fetch'), { recursive: true });
      await useTypescript('typescript-fetch', typescriptFetch, use);
    },
  },
};

async function openApiGeneratorSteps({ stepWith }: Steps, use: Use): Promise<void> {
  await stepWith(['java', 'mvn'], 'openapi-generator takes the document', async () => {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${generatorVersion}`;
    await run('mvn', ['-q', 'dependency:get', artifact], at(made));
    await run('java', ['-jar', jar, 'validate', '-i', document], at(made));
  });
  for (const [name, { commands, options, useClient }] of Object.entries(openApiGenerators)) {
    await stepWith(commands, `openapi-generator for ${name}: the client calls every operation`, async () => {
      const output = join(made, `openapi-generator-${name}`);
      const generate = ['generate', '-i', document, '-g', name, '-o', output];
      await run('java', ['-jar', jar, ...generate, ...options], at(made));
      namesAreWritten(output);
      await useClient(output, use);
    });
  }
}
