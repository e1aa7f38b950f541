"""Why an owner's service, or a server that an owner connected, was not spoken to, where its owner can mend that."""

from enum import StrEnum


class ServiceFault(StrEnum):
    """As `meta.reason` of the error says it: only whoever runs the service, or entered its address, can do anything."""

    ADDRESS_NOT_ALLOWED = "address_not_allowed"
    CERTIFICATE_REFUSED = "certificate_refused"
    TLS_FAILED = "tls_failed"
