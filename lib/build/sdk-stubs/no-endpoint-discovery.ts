/**
 * Replaces `@aws-sdk/middleware-endpoint-discovery` in bundles. DynamoDB no longer uses it, but each client would still
 * create a cache for a thousand endpoints, with two libraries of 9 KB.
 */
const noSetting = () => undefined;

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: noSetting,
  configFileSelector: noSetting,
  default: undefined,
};

export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}
