/** The measure of a function's start: a handler that does nothing but send the same commands by the same SDK clients. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');

/** The settings of a team that knows esbuild and leaves the SDK as it is. */
const ordinarySettings = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  logLevel: 'error',
} satisfies BuildOptions;

/** The SDK's commands that a bundle loads at its start, by client package. */
export function commandsOf(metafile: Metafile, functionName: string): Map<string, Set<string>> {
  const [, output] =
    Object.entries(metafile.outputs).find(([file]) => file.includes(`/${functionName}/`)) ?? [];
  const commands = new Map<string, Set<string>>();
  for (const file of loadedAtStart(metafile, `functions/${functionName}.ts`)) {
    const found = /@aws-sdk\/((?:client|lib)-[^/]+)\/dist-es\/commands\/(\w+Command)\.js$/.exec(file);
    const [, client, command] = found ?? [];
    if (client === undefined || command === undefined || command === 'DescribeEndpointsCommand') continue;
    if ((output?.inputs[file]?.bytesInOutput ?? 0) === 0) continue;
    commands.set(client, (commands.get(client) ?? new Set()).add(command));
  }
  return commands;
}

/** Every file of the SDK's clients that a deployed function loads before its first event, the carriers' included. */
function loadedAtStart(metafile: Metafile, entry: string): Set<string> {
  const reached = new Set([entry]);
  for (const file of reached) {
    for (const { path, external } of metafile.inputs[file]?.imports ?? []) {
      if (external !== true) reached.add(path);
    }
  }
  return reached;
}

/** Bundles the bare handler. @returns its size in bytes. */
export function buildBareHandler(
  commands: ReadonlyMap<string, ReadonlySet<string>>,
  outfile: string,
): number {
  const { metafile } = buildSync({
    ...ordinarySettings,
    stdin: { contents: bareSource(commands), resolveDir: root, loader: 'ts' },
    outfile,
    metafile: true,
  });
  return Object.values(metafile.outputs).reduce((bytes, output) => bytes + output.bytes, 0);
}

function bareSource(commands: ReadonlyMap<string, ReadonlySet<string>>): string {
  const lines: string[] = [];
  const sends: string[] = [];
  for (const [client, names] of commands) {
    if (client === 'client-dynamodb' && commands.has('lib-dynamodb')) continue;
    const by = client.replaceAll('-', '_');
    lines.push(`import * as ${by} from '@aws-sdk/${client}';`, `const to_${by} = ${newClient(client, by)};`);
    for (const name of names) sends.push(`await to_${by}.send(new ${by}.${name}(event.${name}));`);
  }
  if (commands.has('lib-dynamodb'))
    lines.unshift(`import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`);
  const body = `{ ${sends.join(' ')} return { statusCode: 200, body: '' }; }`;
  return [...lines, `export const handler = async (event) => ${body};`].join('\n');
}

function newClient(client: string, by: string): string {
  if (client === 'lib-dynamodb') return `${by}.DynamoDBDocumentClient.from(new DynamoDBClient({}))`;
  const exported = Object.keys(require(`@aws-sdk/${client}`) as object);
  const name = exported.find((each) => each.endsWith('Client') && each !== '__Client');
  if (name === undefined) throw new Error(`@aws-sdk/${client} exports no client`);
  return `new ${by}.${name}({})`;
}
