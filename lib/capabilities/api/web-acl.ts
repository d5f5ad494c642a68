/**
 * The web ACL of the API. Blocked requests get API Gateway's WAF response, with a request id. Only the rate rule has a
 * response of its own, because its status is 429.
 */
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnIPSet, CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { apiStageName } from '../../../shared/contract/api.ts';
import { errorBody, rateLimitExceeded } from '../../../shared/contract/errors.ts';
import { encrypted } from '../../constructs/encryption.ts';
import { nameOfThisStack } from '../../constructs/removal-policy.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import { notCounted } from './gateway-responses.ts';

const windowSeconds = 300;

interface ManagedGroup {
  readonly name: string;
  /**
   * A version, whose rules AWS does not change ("A static version is immutable", AWS WAF, "Static version deployments for
   * AWS Managed Rules"): otherwise a rule that AWS adds would block without a deploy. AWS announces the end of a version,
   * and then takes no deploy that names it. Groups of addresses have no versions.
   */
  readonly version?: string;
  /** Whether its rules are about the caller's address. */
  readonly byAddress?: true;
  /** The rules that block. */
  readonly blocks: readonly string[];
  /** The rules that only count. */
  readonly counts: readonly string[];
}

/**
 * The rules of AWS's managed rule groups. A rule blocks when it inspects the address, method, host, path or headers that
 * the gateway defines, which no legitimate client matches. It only counts when it inspects what a client chooses
 * freely: bodies (a message may contain `<script>` or `../`; a bulk of 1,000 recipients is far above 8 KB, and the
 * gateway limits sizes itself), queries (a `reference` is free text, a cursor is long), and cookies (the gateway does not
 * read them, but browsers send those of the whole domain).
 */
const managedGroups: readonly ManagedGroup[] = [
  {
    name: 'AWSManagedRulesAmazonIpReputationList',
    byAddress: true,
    blocks: ['AWSManagedIPReputationList', 'AWSManagedReconnaissanceList'],
    // This rule counts by default in AWS's rule group: addresses that took part in a DDoS attack are often shared.
    counts: ['AWSManagedIPDDoSList'],
  },
  {
    name: 'AWSManagedRulesKnownBadInputsRuleSet',
    version: 'Version_1.24',
    blocks: [
      'ExploitablePaths_URIPATH',
      'Host_localhost_HEADER',
      'JavaDeserializationRCE_HEADER',
      'JavaDeserializationRCE_URIPATH',
      'Log4JRCE_HEADER',
      'Log4JRCE_URIPATH',
      'PROPFIND_METHOD',
    ],
    counts: [
      'JavaDeserializationRCE_BODY',
      'JavaDeserializationRCE_QUERYSTRING',
      'Log4JRCE_BODY',
      'Log4JRCE_QUERYSTRING',
      'ReactJSRCE_BODY',
    ],
  },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    version: 'Version_1.19',
    blocks: [
      'CrossSiteScripting_URIPATH',
      'EC2MetaDataSSRF_URIPATH',
      'GenericLFI_URIPATH',
      'GenericRFI_URIPATH',
      'RestrictedExtensions_URIPATH',
      'SizeRestrictions_URIPATH',
      'UserAgent_BadBots_HEADER',
    ],
    counts: [
      // HTTP does not require a User-Agent, and many libraries send none.
      'NoUserAgent_HEADER',
      'CrossSiteScripting_BODY',
      'CrossSiteScripting_COOKIE',
      'CrossSiteScripting_QUERYARGUMENTS',
      // The gateway itself refuses a webhook_url of the metadata service, with a 400 that names the field.
      'EC2MetaDataSSRF_BODY',
      'EC2MetaDataSSRF_COOKIE',
      'EC2MetaDataSSRF_QUERYARGUMENTS',
      'GenericLFI_BODY',
      'GenericLFI_QUERYARGUMENTS',
      'GenericRFI_BODY',
      'GenericRFI_QUERYARGUMENTS',
      'RestrictedExtensions_QUERYARGUMENTS',
      'SizeRestrictions_BODY',
      'SizeRestrictions_Cookie_HEADER',
      'SizeRestrictions_QUERYSTRING',
    ],
  },
];

/**
 * Requests that are not to a carrier's path: carriers send all receipts from few addresses, and prove themselves to the
 * function. AWS WAF sees the path with the name of the API's stage, unless the API has a domain of its own.
 */
const notOfCarriers: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      orStatement: {
        statements: ['/carriers/', `/${apiStageName}/carriers/`].map((searchString) => ({
          byteMatchStatement: {
            fieldToMatch: { uriPath: {} },
            positionalConstraint: 'STARTS_WITH',
            searchString,
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        })),
      },
    },
  },
};

type RateRule = (
  name: string,
  priority: number,
  statement: Omit<CfnWebACL.RateBasedStatementProperty, 'limit' | 'evaluationWindowSec'>,
) => CfnWebACL.RuleProperty;

export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, apiStage: Stage) {
    super(scope, id);
    const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      // Samples contain the URL and the headers, and so phone numbers and credentials.
      sampledRequestsEnabled: false,
      metricName,
    });
    const rateRule: RateRule = (name, priority, statement) => ({
      name,
      priority,
      statement: {
        rateBasedStatement: {
          ...statement,
          evaluationWindowSec: windowSeconds,
          limit: stage.webAclRequestsPerAddress,
        },
      },
      action: {
        block: {
          customResponse: {
            responseCode: 429,
            customResponseBodyKey: 'flood',
            responseHeaders: Object.entries({
              'X-Request-Id': notCounted.requestId,
              ...notCounted.headers,
              'Retry-After': String(windowSeconds),
            }).map(([header, value]) => ({ name: header, value })),
          },
        },
      },
      visibilityConfig: visible(`${stage.stackName}-${name}`),
    });
    const floods = this.floodRules(stage.trustedProxies, rateRule);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${stage.stackName}-requests`),
      customResponseBodies: {
        flood: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify(
            errorBody(
              rateLimitExceeded('Too many requests from this address.', windowSeconds),
              notCounted.requestId,
            ),
          ),
        },
      },
      rules: [
        ...floods,
        ...managedGroups.map(({ name, version, byAddress, counts }, index) => ({
          name,
          priority: floods.length + index,
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ...(version === undefined ? {} : { version }),
              ...(byAddress === true ? { scopeDownStatement: notOfCarriers } : {}),
              ruleActionOverrides: counts.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
          overrideAction: { none: {} },
          visibilityConfig: visible(`${stage.stackName}-${name}`),
        })),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: apiStage.stageArn,
      webAclArn: acl.attrArn,
    });
    this.logBlocked(stage, acl);
  }

  /**
   * One rule, or two behind trusted proxies: requests from these count on the address that the proxies name, all others on
   * their source address.
   */
  private floodRules(proxies: StageSettings['trustedProxies'], rateRule: RateRule): CfnWebACL.RuleProperty[] {
    if (proxies === undefined)
      return [rateRule('flood', 0, { aggregateKeyType: 'IP', scopeDownStatement: notOfCarriers })];
    const fromProxy = this.fromOneOf(proxies.addresses);
    return [
      rateRule('flood', 0, {
        aggregateKeyType: 'IP',
        scopeDownStatement: {
          andStatement: { statements: [{ notStatement: { statement: fromProxy } }, notOfCarriers] },
        },
      }),
      rateRule('flood-by-proxy', 1, {
        aggregateKeyType: 'FORWARDED_IP',
        // A request without an address in the header is not blocked here: the functions count it on the proxy.
        forwardedIpConfig: { headerName: proxies.header, fallbackBehavior: 'NO_MATCH' },
        scopeDownStatement: { andStatement: { statements: [fromProxy, notOfCarriers] } },
      }),
    ];
  }

  /** An IP set has addresses of one version only. */
  private fromOneOf(addresses: readonly string[]): CfnWebACL.StatementProperty {
    const sets = [
      { version: 'IPV4', addresses: addresses.filter((each) => !each.includes(':')) },
      { version: 'IPV6', addresses: addresses.filter((each) => each.includes(':')) },
    ].filter((set) => set.addresses.length > 0);
    const [first, ...others] = sets.map((set): CfnWebACL.StatementProperty => {
      const made = new CfnIPSet(this, `Proxies${set.version}`, {
        scope: 'REGIONAL',
        ipAddressVersion: set.version,
        addresses: set.addresses,
      });
      return { ipSetReferenceStatement: { arn: made.attrArn } };
    });
    if (first === undefined) throw new Error('trusted proxies have addresses');
    return others.length === 0 ? first : { orStatement: { statements: [first, ...others] } };
  }

  /**
   * Logs what was blocked. The name of the log group must begin with
   * `aws-waf-logs-` (AWS WAF, "Sending web ACL traffic logs to an Amazon CloudWatch Logs log group"); a group of this name
   * that a deleted stack left would prevent the next deploy, so it ends with part of the stack's id.
   */
  private logBlocked(stage: StageSettings, acl: CfnWebACL): void {
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `aws-waf-logs-${nameOfThisStack(stage)}`,
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
      ...encrypted(this, stage),
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [
        // The attribute of the log group ends with `:*`, which is no destination for AWS WAF.
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: logGroup.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
      // Paths and queries have phone numbers, these headers credentials.
      redactedFields: [
        { uriPath: {} },
        { queryString: {} },
        ...['authorization', 'cookie', 'idempotency-key'].map((Name) => ({ singleHeader: { Name } })),
      ],
    });
  }
}
