/** The gateway's API, a method for each operation: `gateway.sms.send({ to, message })`. */
import { Resources } from './generated/resources.ts';
import { connect, type GatewayOptions, type Runtime } from './transport.ts';

export class MessagingGateway extends Resources {
  /**
   * Make one for the whole program: it holds the access token.
   *
   * @param runtime - for tests
   */
  constructor(options: GatewayOptions, runtime?: Runtime) {
    super(connect(options, runtime));
  }
}
