/**
 * Reads the script of the API reference: Scalar, for browsers. `@scalar/api-reference` has the same file, but installs 269
 * packages, 290 MB; its plugin for Fastify contains the file, and installs 16. So this registers the plugin, and asks it.
 */
import plugin from '@scalar/fastify-api-reference';

interface Route {
  readonly url: string;
  readonly handler: (request: unknown, reply: unknown) => unknown;
}

export function scalarScript(): string {
  const routes: Route[] = [];
  const fastify = { route: (route: Route) => routes.push(route) };
  plugin(fastify as never, { configuration: { url: '/openapi.json' } } as never, () => undefined);
  const reply = { header: () => reply, send: (content: string) => content };
  const script = routes.find(({ url }) => url.endsWith('.js'))?.handler(undefined, reply);
  if (typeof script !== 'string') throw new Error('@scalar/fastify-api-reference serves no script');
  return script.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
