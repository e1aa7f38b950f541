"""The owners' HTTP API for what months cost: a business's for those who run it, all of them for platform admins."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from switchboard.admin.access.roles import Operation
from switchboard.admin.api.answer import json_answer, revised_answer, saved_answer
from switchboard.admin.api.endpoint import EndpointGroup, endpoint
from switchboard.admin.api.models import Paging
from switchboard.admin.api.serving import BasedOn, Caller
from switchboard.admin.costs.limit_settings import LimitSettings
from switchboard.admin.costs.models import (
    LimitsBody,
    LimitsShown,
    MonthQuery,
    MonthsQuery,
    MonthStatement,
    MonthStatementList,
    PriceChangeList,
    PricesBody,
    PricesShown,
)
from switchboard.admin.costs.months import MonthStatements
from switchboard.admin.costs.prices import Prices
from switchboard.admin.costs.statement import Statement
from switchboard.admin.costs.statement_text import statements_text


class CostEndpoints(EndpointGroup):
    """`/admin/businesses/{id}/costs` and `/monthly-limits`, `/admin/costs` and `/admin/prices`."""

    _OWN, _EVERY, _EDIT = Operation.SEE_COSTS, Operation.SEE_ALL_COSTS, Operation.EDIT_PRICES
    _ONE, _MANY, _PRICES = "/businesses/{business_id}/costs", "/costs", "/prices"
    _LIMITS, _LIMIT = "/businesses/{business_id}/monthly-limits", Operation.LIMIT_MONTHS
    _TABLE = ("text/csv",)

    def __init__(self, months: MonthStatements, prices: Prices, limits: LimitSettings) -> None:
        self._months, self._prices, self._limits = months, prices, limits

    @endpoint("GET", _ONE, _OWN, MonthStatement, text_media=_TABLE)
    async def _one(self, permit: Caller, query: Annotated[MonthQuery, Query()]) -> Response:
        """Tell what a month cost a business."""
        statement = await self._months.of(permit.business_id, query.month or "")
        if query.format == "csv":
            return _table([statement], f"costs-{statement.month}")
        return json_answer(statement.to_json())

    @endpoint("GET", _MANY, _EVERY, MonthStatementList, text_media=_TABLE)
    async def _all(self, permit: Caller, query: Annotated[MonthsQuery, Query()]) -> Response:
        """Tell what a month cost each business."""
        part = await self._months.of_all(query.page(0), query.month or "")
        if query.format == "csv":
            answer = _table(part.items, f"costs-of-all-{query.month or 'now'}")
            if part.next_cursor is not None:
                answer.headers["Next-Cursor"] = part.next_cursor
            return answer
        statements = [statement.to_json() for statement in part.items]
        return json_answer({"statements": statements, "nextCursor": part.next_cursor})

    @endpoint("GET", _PRICES, _EDIT, PricesShown, tells_revision=True)
    async def _read(self, permit: Caller) -> Response:
        """Read what units cost."""
        current = await self._prices.read()
        return json_answer(current.to_json(), revision=current.revision)

    @endpoint("PUT", _PRICES, _EDIT, PricesShown, is_revisioned=True)
    async def _replace(self, permit: Caller, based_on: BasedOn, body: PricesBody) -> Response:
        """Say what units cost."""
        rows = [entry.sent() for entry in body.prices]
        saved = await self._prices.replace(permit, based_on, body.currency, rows)
        return saved_answer((await self._prices.read()).to_json(), saved)

    @endpoint("GET", f"{_PRICES}/changes", _EDIT, PriceChangeList)
    async def _changes(self, permit: Caller, query: Annotated[Paging, Query()]) -> Response:
        """List who has changed what units cost."""
        part = await self._prices.changes(query.page(1))
        return json_answer({"changes": part.items, "nextCursor": part.next_cursor})

    @endpoint("GET", _LIMITS, _OWN, LimitsShown, tells_revision=True)
    async def _read_limits(self, permit: Caller) -> Response:
        """Read a month's limits."""
        return revised_answer(await self._limits.read(permit))

    @endpoint("PUT", _LIMITS, _LIMIT, LimitsShown, is_revisioned=True)
    async def _limit(self, permit: Caller, based_on: BasedOn, body: LimitsBody) -> Response:
        """Limit a month."""
        saved = await self._limits.replace(permit, based_on, body.limits.sent())
        return saved_answer(await self._limits.read(permit), saved)


def _table(statements: Sequence[Statement], name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "X-Content-Type-Options": "nosniff"}
    return Response(statements_text(statements), media_type="text/csv", headers=headers)
