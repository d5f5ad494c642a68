/**
 * Reads the script of the API reference, which is Scalar for browsers. The script comes from Scalar's plugin for Fastify,
 * which installs 16 packages; `@scalar/api-reference` contains the same file, but installs 269 packages (290 MB). The
 * plugin is registered only to get the file.
 */
import plugin from '@scalar/fastify-api-reference';

export function scalarScript(): string {
  const routes: {
    readonly url: string;
    readonly handler: (request: unknown, reply: unknown) => unknown;
  }[] = [];
  const fastify = { route: (route: (typeof routes)[number]) => routes.push(route) };
  plugin(fastify as never, { configuration: { url: '/openapi.json' } } as never, () => undefined);
  const reply = { header: () => reply, send: (content: string) => content };
  const script = routes.find(({ url }) => url.endsWith('.js'))?.handler(undefined, reply);
  if (typeof script !== 'string') throw new Error('@scalar/fastify-api-reference serves no script');
  return script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
