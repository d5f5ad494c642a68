/**
 * Replaces `@aws-sdk/middleware-endpoint-discovery` in bundles: no operation of DynamoDB asks for endpoints any more, but
 * each client makes a cache of a thousand of them, with two libraries of 9 KB.
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
