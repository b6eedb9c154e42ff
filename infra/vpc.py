"""The connection of runners to a network of the operator (VPC)."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SubnetId = Annotated[str, StringConstraints(pattern=r"^subnet-[0-9a-f]{8,17}$")]
SecurityGroupId = Annotated[str, StringConstraints(pattern=r"^sg-[0-9a-f]{8,17}$")]


class Vpc(BaseModel):
    """The subnets in which a function has network interfaces, and the security groups of these interfaces."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subnets: list[SubnetId] = Field(min_length=1, max_length=16)
    security_groups: list[SecurityGroupId] = Field(min_length=1, max_length=5)
