/** Permits actions on resources, in the grantee's policy. */
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';

export function allow(
  grantee: IGrantable,
  actions: readonly string[],
  resourceArns: readonly string[],
  conditions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Grant {
  return Grant.addToPrincipal({
    grantee,
    actions: [...actions],
    resourceArns: [...resourceArns],
    ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
  });
}
