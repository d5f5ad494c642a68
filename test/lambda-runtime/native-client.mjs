/** Has Amazon's runtime client take `native-client.cjs` in the place of the addon that could not be compiled. */
import { registerHooks } from 'node:module';

// Its own switch to ask for events without the addon.
process.env.AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1 = 'true';
registerHooks({
  resolve(specifier, context, next) {
    return specifier === './rapid-client.node'
      ? { url: new URL('native-client.cjs', import.meta.url).href, format: 'commonjs', shortCircuit: true }
      : next(specifier, context);
  },
});
