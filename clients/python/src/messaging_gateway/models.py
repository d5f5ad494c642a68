"""The objects of the API: answers, errors, webhooks, and what a request may have in place of a dictionary."""

from .generated.models import *
