/**
 * The carrier AWS End User Messaging, for SMS, and for WhatsApp by its service Social. The function's role is its
 * credential.
 */
import type { CarrierModule } from '../carrier-module.ts';
import { awsDescriptor } from './aws-descriptor.ts';
import { awsSms, smsErrors } from './aws-sms.ts';
import { awsWhatsApp, whatsAppErrors } from './aws-whatsapp.ts';

export const aws: CarrierModule = {
  descriptor: awsDescriptor,
  errors: { sms: smsErrors, whatsapp: whatsAppErrors },
  create(channel, { env, prices, clock, timeLimitMs }) {
    if (channel === 'whatsapp')
      return awsWhatsApp({
        phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID,
        otpTemplate: env.WHATSAPP_OTP_TEMPLATE,
        prices,
        timeLimitMs,
      });
    return awsSms(
      {
        originationIdentity: env.SMS_ORIGINATION_IDENTITY,
        configurationSet: env.SMS_CONFIGURATION_SET,
        prices,
        timeLimitMs,
      },
      clock,
    );
  },
};
