/**
 * Meta's error codes, of responses and of statuses
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes). One that is not listed is
 * `carrier_rejected`.
 */
import type { VendorErrors } from '../carrier-module.ts';

export const whatsAppErrors: VendorErrors = {
  33: { code: 'sender_rejected', elsewhere: true },
  100: { code: 'content_rejected' },
  368: { code: 'carrier_rejected', elsewhere: true },
  130429: { code: 'carrier_throttled' },
  130472: { code: 'carrier_blocked' },
  130497: { code: 'country_not_supported', elsewhere: true },
  131008: { code: 'content_rejected' },
  131009: { code: 'content_rejected' },
  131021: { code: 'invalid_recipient' },
  131026: { code: 'unreachable' },
  131030: { code: 'invalid_recipient', elsewhere: true },
  131031: { code: 'carrier_rejected', elsewhere: true },
  131037: { code: 'sender_rejected', elsewhere: true },
  131042: { code: 'spend_limit_reached', elsewhere: true },
  131045: { code: 'sender_rejected', elsewhere: true },
  131047: { code: 'template_required' },
  131048: { code: 'carrier_throttled', elsewhere: true },
  131049: { code: 'carrier_blocked' },
  131050: { code: 'recipient_opted_out' },
  131051: { code: 'content_rejected' },
  131052: { code: 'media_rejected' },
  131053: { code: 'media_rejected' },
  131056: { code: 'carrier_throttled' },
  132000: { code: 'template_rejected' },
  132001: { code: 'template_rejected' },
  132005: { code: 'template_rejected' },
  132007: { code: 'template_rejected' },
  132012: { code: 'template_rejected' },
  132015: { code: 'template_rejected' },
  132016: { code: 'template_rejected' },
  132068: { code: 'template_rejected' },
  132069: { code: 'template_rejected' },
  133010: { code: 'sender_rejected', elsewhere: true },
};
