"""Signed webhooks, for the tests of an application that receives them."""

from .signed_webhook import SignedWebhook, signed_webhook

__all__ = ["SignedWebhook", "signed_webhook"]
